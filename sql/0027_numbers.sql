-- The number that was sold to stands here once a sale is pending or over; until then it is found among those that are
-- unresolved. An index is told of each sale twice, when it is made and when it is settled, and this one at a random place.
drop index cell.transaction_identifier;
create index transaction_identifier on cell.transaction (identifier, company_id, id) where status <> 'PROCESSING';
drop index cell.transaction_unresolved;
create index transaction_unresolved on cell.transaction (ask_at, company_id, identifier)
where status in ('PROCESSING', 'PENDING');
