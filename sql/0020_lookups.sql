-- An index that says nothing of its first column can be searched once for each value of it. Where the planner was last told
-- of the table when it was empty, it takes that for as good as the primary key, and looks a sale up among all the numbers
-- that were ever sold to. Whoever looks for a number names it; nobody else may take this index.
drop index cell.transaction_identifier;
create index transaction_identifier on cell.transaction (identifier, company_id, id) where identifier is not null;
