// Shows the account from the data of the page.
const data = JSON.parse(document.getElementById('page-data').textContent);

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

document.getElementById('content').append(
  element('h1', 'Your account'),
  element('p', `You have sent ${count(data.orders, 'order')} from this browser.`, { id: 'orders' }),
  element('p', `There ${data.products === 1 ? 'is' : 'are'} ${count(data.products, 'product')} in your cart.`,
    { id: 'products' }),
  element('a', 'Go to the cart', { href: '/cart', className: 'button' }),
);
