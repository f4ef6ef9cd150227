// Uses the types of the client 'typed' as a program would; compiled, not run.
import type { Category, Channel, NewOrderInput, Order, Rule, TypedClient } from './typed.js';

type Payment = NewOrderInput['payment'];

/** The discriminator narrows the union, and all of its values are handled. */
export function numberOf(payment: Payment): number {
  switch (payment.kind) {
    case 'card':
      return payment.number.length;
    case 'transfer':
      return payment.number + (payment.address?.city.length ?? 0);
  }
}

export function negations(rule: Rule): number {
  return rule.when.op === 'not' ? 1 + negations(rule.when.rule) : rule.when.label.length;
}

export function namesOf(category: Category): string[] {
  const inner = [...category.children ?? [], ...Object.values(category.byName ?? {})];
  return [category.name, ...inner.flatMap(namesOf)];
}

export const order: NewOrderInput = {
  customerId: 7,
  items: [{ productId: 1, quantity: 2 }],
  channel: 'phone',
  payment: { kind: 'transfer', number: 12, address: { city: 'Bonn' } },
  reference: 42,
  labels: { colour: 'red' },
  places: { home: { city: 'Ulm' } },
  tags: ['a', 'b'],
  box: [1.5, 2, 3],
  category: { name: 'root', children: [{ name: 'leaf' }], parent: { name: 'above' }, byName: {} },
  rule: { when: { op: 'not', rule: { when: { op: 'has', label: 'x' } } } },
  day: '2024-02-29',
  gift: true,
  extra: [null, { a: 1 }],
};

export async function use(client: TypedClient): Promise<Channel> {
  const placed: Order = await client.placeOrder({ body: order });
  const [first] = await client.listOrders({ query: { channel: 'web', tags: ['a'], limit: 5 } });
  await client.pay({ path: { id: String(first?.id ?? placed.id) }, body: placed.order.payment });
  return client.label({ path: { id: '7' }, body: { red: 1 } });
}

// @ts-expect-error A card has a string as its number.
export const wrongMember: Payment = { kind: 'card', number: 4 };
// @ts-expect-error No alternative has this discriminator.
export const wrongKind: Payment = { kind: 'cash', number: 4 };
// @ts-expect-error A value that the enumeration lacks.
export const wrongChannel: Channel = 'fax';
// @ts-expect-error Members of the map are strings.
export const wrongLabels: NewOrderInput['labels'] = { colour: 1 };
// @ts-expect-error A member of a type within itself.
export const wrongChild: Category = { name: 'a', children: [{ name: 1 }] };
