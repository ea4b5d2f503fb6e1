-- Finds the sales of companies in production in the order of their settlement. A sale enters the index once, when it is
-- settled. Settling writes a new entry in every index of the sale anyway, and here always at the end. Sales of the
-- simulator and unsettled sales cost nothing.
create index transaction_settled on transaction (processed_at)
where environment = 'production' and processed_at is not null;
