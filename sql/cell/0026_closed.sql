-- Closed companies. A company is closed while its cell is closed. Then no call begins anything that writes its rows.
-- Sales, reversals, messages and deliveries that are in progress still end.

alter table balance add column closed boolean not null default false;

comment on column balance.closed is
  'Whether the company is closed. Then only the outcomes of what was in progress are written.';

create function refuse_closed() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform refuse_if_closed(case tg_op when 'DELETE' then old.company_id else new.company_id end);
  return null;
end;
$$;

-- The rows that servers and commands write without a money function. The money functions check the balance themselves.

create trigger option_closed
after insert or update on option
for each row
execute function refuse_closed();

create trigger insurance_begun_closed
after insert on insurance
for each row
execute function refuse_closed();

-- Settlements change insurances that are being sold. The outcome of a message changes `undelivered`.
create trigger insurance_closed
after update on insurance
for each row
when (old.state <> all ('{cobrando,emitiendo}') and old.undelivered = new.undelivered)
execute function refuse_closed();

create trigger sms_closed
after insert on sms
for each row
execute function refuse_closed();

-- The outcome of a delivery changes other columns of its webhook.
create trigger webhook_closed
after insert or delete or update of url, event_types, description, secret on webhook
for each row
execute function refuse_closed();

create trigger resolution_closed
after insert or update on resolution
for each row
execute function refuse_closed();

-- Sales do not write these columns, so the trigger does not slow them down.
create trigger balance_settings_closed
after update of limit_daily, limit_weekly, limit_monthly, low_balance_alert, events_on on balance
for each row
when (new.closed)
execute function refuse_closed();
