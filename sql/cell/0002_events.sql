-- Events of companies, the webhooks that receive them, and their deliveries.

alter table balance
  add column events_on boolean not null default false,
  add column last_event bigint not null default 0 check (last_event >= 0),
  add column reported_low boolean not null default false;

comment on column balance.events_on is 'Whether the money functions write events of this company.';
comment on column balance.last_event is 'Sequence number of the company''s newest event.';
comment on column balance.reported_low is 'Whether the newest event about a low balance is balance.low.';

create function report_alert_change() returns trigger
language plpgsql
-- Runs as its owner, because the operator's login may not write events.
security definer
set search_path from current
as $$
begin
  perform record_events('{}', array[new.company_id], new.updated_at);
  return null;
end;
$$;

-- A new alert value may cause an event about a low balance. Sales never write this column, so the trigger does not slow
-- them down.
create trigger balance_alert_changed
after update of low_balance_alert on balance
for each row
when (new.events_on)
execute function report_alert_change();

create table event (
  company_id bigint not null,
  sequence bigint not null,
  type text not null check (
    type = any (
      '{transaction.pending,transaction.succeeded,transaction.failed,transaction.reversed,reversal.failed,insurance.issued,insurance.failed,balance.low,balance.recovered,balance.deposited,balance.adjusted,webhook.test}'
    )
  ),
  created_at timestamptz not null,
  transaction_id bigint,
  reversal_id bigint,
  insurance_id bigint,
  entry_id bigint,
  webhook_id bigint,
  available bigint,
  held bigint,
  low_balance_alert bigint,
  primary key (company_id, sequence),
  constraint event_of_sale check ((type like 'transaction.%') <= (transaction_id is not null)),
  constraint event_of_reversal check ((type = any ('{transaction.reversed,reversal.failed}')) = (reversal_id is not null)),
  constraint event_of_insurance check ((type like 'insurance.%') = (insurance_id is not null)),
  constraint event_of_entry check ((type = any ('{balance.deposited,balance.adjusted}')) = (entry_id is not null)),
  constraint event_of_balance check ((type = any ('{balance.low,balance.recovered}')) = (low_balance_alert is not null)),
  constraint event_of_webhook check ((type = 'webhook.test') = (webhook_id is not null))
);

-- Finds old events to delete. With a BRIN index, an insert takes hardly longer.
create index event_created_at on event using brin (created_at);

comment on table event is
  'Events: changes of the money of companies with events on. Written in the transaction of the change. Kept 30 days.';
comment on column event.sequence is
  'Position among the events of the company, in commit order, because the writer holds the lock of the balance.';
comment on column event.transaction_id is 'The sale that changed. Null: the event is not about a sale.';
comment on column event.reversal_id is 'The reversal that ended. Null: the event is not about a reversal.';
comment on column event.insurance_id is 'The insurance that ended. Null: the event is not about an insurance.';
comment on column event.entry_id is 'The ledger entry of a deposit or adjustment. Null: the event is not about such an entry.';
comment on column event.webhook_id is 'The webhook that is tested. Null: the event is not a test.';
comment on column event.available is 'Available amount after the event. Null: the event is not about a low balance.';
comment on column event.held is 'Held amount after the event. Null: the event is not about a low balance.';
comment on column event.low_balance_alert is
  'The alert value that the available amount crossed. Null: the event is not about a low balance.';

create function refuse_event_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'events are never changed' using errcode = 'check_violation', constraint = 'event_immutable';
end;
$$;

create trigger event_immutable
before update or truncate on event
for each statement
execute function refuse_event_change();

create sequence webhook_id maxvalue 9007199254740991;

create table webhook (
  company_id bigint not null,
  id bigint not null,
  url text not null check (length(url) between 1 and 2048),
  event_types text[] not null,
  description text not null,
  state text not null check (state = any ('{activo,pausado,desactivado}')),
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null,
  primary key (company_id, id),
  constraint webhook_previous_secret check ((previous_secret is null) = (previous_until is null))
);

comment on table webhook is 'Endpoints of companies that receive events. At most ten for each company.';
comment on column webhook.event_types is 'Types of events that are sent. Empty: all types.';
comment on column webhook.state is
  'activo: events are sent. pausado: the company stopped it. desactivado: the service or the operator stopped it.';
comment on column webhook.secret is 'Signing secret, encrypted with the data key.';
comment on column webhook.previous_secret is
  'Secret before the last rotation, encrypted. Null: the webhook has no previous secret.';
comment on column webhook.previous_until is 'Until when deliveries are also signed with the previous secret.';
comment on column webhook.failing_since is
  'First failed attempt after the last delivered event. Null: the last attempt succeeded, or none was made.';

create table delivery (
  company_id bigint not null,
  webhook_id bigint not null,
  sequence bigint not null,
  state text not null default 'pendiente' check (state = any ('{pendiente,entregada,fallida}')),
  attempts int not null default 0 check (attempts >= 0),
  due_at timestamptz not null,
  leased_until timestamptz,
  http_status int,
  error text,
  duration_ms int,
  created_at timestamptz not null,
  primary key (company_id, webhook_id, sequence)
)
-- Part of each page stays free. A delivery is written two or three times, and its new versions fit into the same page.
with (fillfactor = 60);

-- Finds the waiting deliveries of a webhook in the order in which they are due.
create index delivery_waiting on delivery (company_id, webhook_id, due_at, sequence) where state = 'pendiente';

create index delivery_created_at on delivery using brin (created_at);

comment on table delivery is
  'The queue of deliveries: one row for each event and webhook. Rows are deleted with their events.';
comment on column delivery.attempts is 'Number of attempts with a result, since the event was written or replayed.';
comment on column delivery.due_at is 'When the next attempt is due.';
comment on column delivery.leased_until is
  'Until when only the worker that claimed the delivery may send it. Null: no worker has claimed it.';
comment on column delivery.http_status is 'HTTP status of the last attempt. Null: the endpoint did not answer.';
comment on column delivery.error is 'Why the last attempt failed. Null: it did not fail, or none was made.';
comment on column delivery.duration_ms is 'Duration of the last attempt. Null: none was made.';
