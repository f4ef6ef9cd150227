window.pageData = JSON.parse(document.getElementById('page-data').textContent);
