// Visitors of the shop: one without a browser, and what one with a browser fills in.
import assert from 'node:assert/strict';

/** A visitor without a browser, who keeps the cookie of the shop and sends forms with their token. */
export class Visitor {
  cookie = '';

  constructor(url) {
    this.url = url;
  }

  async open(path, init = {}) {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { accept: 'text/html', cookie: this.cookie },
      redirect: 'manual',
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie) [this.cookie] = cookie.split(';');
    const html = await response.text();
    this.token = / name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.token;
    return { status: response.status, html, requestId: response.headers.get('x-request-id') };
  }

  send(path, form) {
    return this.open(path, { method: 'POST', body: new URLSearchParams({ _csrf: this.token, ...form }) });
  }

  /** Opens the form of a product, and puts one into the cart. */
  async put(id) {
    await this.open(`/cart/add/${id}`);
    assert.equal((await this.send('/cart', { id, quantity: 1 })).status, 302);
  }
}

export const ada = { name: 'Ada', street: '12 St James Square', zip: 'SW1', city: 'London' };

/** Fills the form of the cart, and orders. */
export async function order(visitor, values) {
  const labels = {
    name: 'Name',
    email: 'E-mail address',
    street: 'Street and number',
    zip: 'Postal code',
    city: 'City',
  };
  for (const [name, value] of Object.entries(values)) {
    await visitor.getByLabel(labels[name]).fill(value);
  }
  await visitor.getByRole('button', { name: 'Order', exact: true }).click();
}
