-- Finds the latest reversal of a sale, denied ones included. The index reversal_live contains no denied reversals.
create index reversal_of_sale on reversal (company_id, transaction_id, id);
