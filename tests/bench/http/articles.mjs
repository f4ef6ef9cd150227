// The articles that GET /articles lists, as workload.hpp makes them.
const words =
  'amber birch copper drawer elm frame glass handle iron jug kettle lamp maple needle oak pine quilt rug shelf table urn vase wool'.split(
    ' ',
  );
export const articles = Array.from({ length: 128 }, (_, index) => {
  const i = index + 1;
  const name = [(i * 7) % 23, (i * i) % 23, (i * 5) % 19, (i * i * i) % 23].map((at) => words[at]).join(' ');
  return { sku: `SKU-${i * 7919}`, name, quantity: (i * i) % 97, price: ((i * i) % 89) + 0.25 * (i % 4) };
});
