-- Finds reversals, events and insurances for operators.

-- Finds denied reversals by xid. The index reversal_xid contains the other reversals.
create index reversal_xid_denied on reversal (company_id, xid) where status = 'DENIED';

-- Finds the events of a sale. Ids of sales rise, so new entries go to the same few pages. Companies with events off
-- write no entries.
create index event_transaction on event (company_id, transaction_id) where transaction_id is not null;

-- Lists the insurances of all companies in one state, newest first, and counts each state.
create index insurance_in_state on insurance (state, id);
