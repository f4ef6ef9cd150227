-- POST of a 1 KB order with ten line items.
local items = {}
for i = 1, 10 do
  items[i] = string.format('{"sku":"SKU-%06d","name":"Article number %d of the list","quantity":%d,"price":%d.95}', i * 1234, i, i, i * 7)
end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"customer":"Ada Lovelace","email":"ada@example.com","currency":"EUR","note":"Please ring twice, the bell is not loud.","items":[' .. table.concat(items, ",") .. "]}"
