-- The block of a sale begins no later than the settlement of the sale. The closing of a day finds a sale by its block, also
-- if the clock of the server that made the sale was days ahead. Blocks of closed days stay as they are.

update block as b
set earliest = s.settled_at
from (
  select o.company_id, o.list, o.first_id, min(t.processed_at) as settled_at
  from balance as a
  join block as o
    on o.company_id = a.company_id and o.list = 'sale' and (o.earliest < a.open_from) is not true
  join transaction as t
    on t.company_id = o.company_id and t.id between o.first_id and o.last_id and t.processed_at < o.earliest
  group by o.company_id, o.list, o.first_id
) as s
where b.company_id = s.company_id
  and b.list = s.list
  and b.first_id = s.first_id;

comment on column block.earliest is 'Earliest created_at in the block, or earliest processed_at of a sale if that is earlier.';
