const data = JSON.parse(document.getElementById('page-data').textContent);
document.getElementById('shown').textContent = `from ${JSON.stringify(data)}`;
