-- POST of an order of about BENCH_BODY bytes.
local size = tonumber(os.getenv("BENCH_BODY"))
local items, length = {}, 0
while length < size - 150 or #items == 0 do
  local i = #items + 1
  items[i] = string.format('{"sku":"SKU-%06d","name":"Article number %d of the list","quantity":%d,"price":%d.95}', i % 100000, i, i % 1000 + 1, i % 700)
  length = length + #items[i] + 1
end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"customer":"Ada Lovelace","email":"ada@example.com","currency":"EUR","note":"Please ring twice, the bell is not loud.","items":[' .. table.concat(items, ",") .. "]}"
