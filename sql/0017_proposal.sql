-- What is confirmed is what was seen: each proposal for a sale has a number of its own, and who confirms repeats it.
alter table cell.resolution add column number int not null default 1 check (number > 0);

-- Of electricity: what the customer types into the meter.
alter table cell.resolution add column recharge_token text;
