"""The recipe of Fairway for Conan 2: conan create tools/packaging/conan

It packages the libraries, and the route compiler of the system (-o fairway/*:compiler=PATH), because
Conan has no package of Clang's libraries.
"""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class FairwayConan(ConanFile):
    name = "fairway"
    version = "0.1.0"
    description = "Web APIs in C++, checked before the program is linked"
    license = "MIT"
    author = "The Fairway authors"
    topics = ("http", "openapi", "web", "framework")
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "compression": [True, False],
        "fetch": [True, False],
        "redis": [True, False],
        "compiler": ["ANY"],
    }
    default_options = {"compression": True, "fetch": True, "redis": False, "compiler": ""}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "cmake/*", "runtime/*", "docs/*.md", "LICENSE"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        for reference in ("fmt/[>=9 <12]", "nlohmann_json/[>=3.11 <4]"):
            self.requires(reference, transitive_headers=True, transitive_libs=True)
        for reference in ("cpp-httplib/[>=0.11]", "openssl/[>=3 <4]", "re2/[>=20220601]", "simdjson/[>=3 <4]"):
            self.requires(reference)
        if self.options.compression:
            for reference in ("zlib/[>=1.2.13 <2]", "brotli/[>=1.0.9 <2]", "zstd/[>=1.5 <2]"):
                self.requires(reference)
        if self.options.fetch:
            self.requires("libcurl/[>=7.87 <9]")
        if self.options.redis:
            self.requires("hiredis/[>=1 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        variables = {
            "FAIRWAY_BUILD_COMPILER": False,
            "FAIRWAY_BUILD_SAMPLES": False,
            "FAIRWAY_BUILD_TESTS": False,
            "FAIRWAY_DOCS_VIEWER": False,
            "FAIRWAY_COMPILER_EXECUTABLE": str(self.options.compiler),
            "FAIRWAY_FETCH": bool(self.options.fetch),
            "FAIRWAY_REDIS": bool(self.options.redis),
        }
        for coding in ("GZIP", "BROTLI", "ZSTD"):
            variables[f"FAIRWAY_{coding}"] = bool(self.options.compression)
        toolchain.cache_variables.update(variables)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package has its own CMake files, with fairway_add_app.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "Fairway")]
        self.cpp_info.libs = ["fairway_runtime", "fairway_schema"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
