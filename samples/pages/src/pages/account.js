// Shows the account from the data of the page.
const data = JSON.parse(document.getElementById('page-data').textContent);

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function orderEntry({ id, total, items }) {
  const entry = element('li', '', { className: 'line' });
  entry.append(
    element('h3', `Order ${id}`),
    element('p', items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ')),
    element('p', total, { className: 'price' }),
  );
  return entry;
}

const content = document.getElementById('content');
content.append(element('h1', data.name ? `Hello, ${data.name}` : 'Your account'));
if (data.orders.length > 0) {
  const list = element('ul', '', { id: 'orders', className: 'orders' });
  list.append(...data.orders.map(orderEntry));
  content.append(element('h2', 'Your orders'), list);
} else {
  content.append(element('p', 'You have not ordered anything from this browser.'));
}
content.append(
  element('p', `There ${data.productsInCart === 1 ? 'is' : 'are'} ` +
    `${count(data.productsInCart, 'product')} in your cart.`, { id: 'products' }),
  element('a', 'Go to the cart', { href: '/cart', className: 'button' }),
);
