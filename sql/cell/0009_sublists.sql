-- Blocks of sublists: with them, lists of the sales of one service or terminal are counted and paged without reading
-- every row. An index on these columns would find the sales but not count them, and each sale would write it.

-- Waits for running money functions and makes new calls wait. So no block is made while this file runs.
lock table balance in exclusive mode;

-- The name of the sublist with the sales of a service, of a terminal, or of a service at a terminal. A null argument is
-- left out of the name.
create function sublist_of(service_id bigint, terminal_id text) returns text
language sql
immutable
return coalesce(
  'service ' || service_id::text || ' terminal ' || terminal_id,
  'service ' || service_id::text,
  'terminal ' || terminal_id
);

-- The names of all sublists that contain a sale.
create function sublists_of(service_id bigint, terminal_id text) returns text[]
language sql
immutable
return array_remove(
  array[
    sublist_of(service_id, null),
    sublist_of(null, terminal_id),
    case when terminal_id is not null then sublist_of(service_id, terminal_id) end
  ],
  null
);

create table sublist_block (
  company_id bigint not null,
  sublist text not null,
  first_id bigint not null,
  last_id bigint not null,
  earliest timestamptz not null,
  latest timestamptz not null,
  members int not null check (members > 0),
  pending int not null default 0,
  success int not null default 0,
  failed int not null default 0,
  reversed int not null default 0,
  primary key (company_id, sublist, first_id),
  constraint sublist_block_ids check (last_id >= first_id)
)
-- Half of each page stays free, for the reason given at balance.
with (fillfactor = 50);

comment on table sublist_block is
  'Blocks of the sales of one company that have the same service, the same terminal, or both. '
  'Each block of sales in block is divided into one such block for each of its sublists. '
  'No check constraint guards the counts, because a wrong count must not stop a settlement. '
  'The audit finds a wrong count.';
comment on column sublist_block.sublist is 'Name of the sublist, from sublist_of.';
comment on column sublist_block.first_id is
  'Lowest id in the block. This column and the following ones have the same meaning as in block.';

insert into sublist_block (
  company_id, sublist, first_id, last_id, earliest, latest, members, pending, success, failed, reversed
)
select g.company_id, s.sublist, min(g.first_id), max(g.last_id), min(g.earliest), max(g.latest), sum(g.members),
  sum(g.pending), sum(g.success), sum(g.failed), sum(g.reversed)
from (
  select
    o.company_id,
    o.first_id as block,
    t.service_id,
    t.terminal_id,
    min(t.id) as first_id,
    max(t.id) as last_id,
    min(t.created_at) as earliest,
    max(t.created_at) as latest,
    count(*) as members,
    count(*) filter (where t.status = 'PENDING') as pending,
    count(*) filter (where t.status = 'SUCCESS') as success,
    count(*) filter (where t.status = 'FAILED') as failed,
    count(*) filter (where t.status = 'REVERSED') as reversed
  from block as o
  join transaction as t on t.company_id = o.company_id and t.id between o.first_id and o.last_id
  where o.list = 'sale'
  group by o.company_id, o.first_id, t.service_id, t.terminal_id
) as g
cross join lateral unnest(sublists_of(g.service_id, g.terminal_id)) as s(sublist)
group by g.company_id, g.block, s.sublist;
