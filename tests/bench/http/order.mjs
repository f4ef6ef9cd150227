// The order of 1 KB that load/order.lua sends, too.
const items = Array.from(
  { length: 10 },
  (_, i) =>
    `{"sku":"SKU-${String((i + 1) * 1234).padStart(6, '0')}","name":"Article number ${i + 1} of the list","quantity":${i + 1},"price":${(i + 1) * 7}.95}`,
);
export const order = `{"customer":"Ada Lovelace","email":"ada@example.com","currency":"EUR","note":"Please ring twice, the bell is not loud.","items":[${items}]}`;
