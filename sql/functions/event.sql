-- Events: written by the money functions, for companies with events on.
--
-- Every caller of record_events has locked the balances of the companies. So sequence numbers of a company grow in
-- commit order.

drop function if exists record_events;
drop function if exists write_events;
drop function if exists add_webhook;
drop function if exists remove_webhook;
drop function if exists test_webhook;
drop function if exists turn_events;
drop function if exists event_fact;
drop type if exists event_fact;

-- A fact: the company, type, time and subject of an event before it is written. `sequence` is null until the event has
-- its number.
create type event_fact as (
  company_id bigint,
  sequence bigint,
  type text,
  at timestamptz,
  transaction_id bigint,
  reversal_id bigint,
  insurance_id bigint,
  entry_id bigint,
  webhook_id bigint,
  available bigint,
  held bigint,
  low_balance_alert bigint
);

-- Builds a fact with named arguments. The planner inlines the function, so it takes no time.
create function event_fact(
  company_id bigint,
  type text,
  at timestamptz,
  sequence bigint default null,
  transaction_id bigint default null,
  reversal_id bigint default null,
  insurance_id bigint default null,
  entry_id bigint default null,
  webhook_id bigint default null,
  available bigint default null,
  held bigint default null,
  low_balance_alert bigint default null
) returns event_fact
language sql
immutable
return row(
  company_id,
  sequence,
  type,
  at,
  transaction_id,
  reversal_id,
  insurance_id,
  entry_id,
  webhook_id,
  available,
  held,
  low_balance_alert
)::event_fact;

-- Writes events, whose companies have events on, and their deliveries. Wakes the workers. The caller has counted the
-- events in the balances of the companies.
create function write_events(facts event_fact[]) returns void
language plpgsql
set search_path from current
-- reserve.sql explains these planner settings. A bitmap scan of the few webhooks of a company takes longer than an index
-- scan: with it, writing the events of a group takes a tenth longer.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
declare
  deliveries_n bigint;
begin
  with written as (
    insert into event (
      company_id, sequence, type, created_at, transaction_id, reversal_id, insurance_id, entry_id, webhook_id, available,
      held, low_balance_alert
    )
    select
      f.company_id, f.sequence, f.type, f.at, f.transaction_id, f.reversal_id, f.insurance_id, f.entry_id, f.webhook_id,
      f.available, f.held, f.low_balance_alert
    from unnest(facts) as f
    returning company_id, sequence, type, created_at, webhook_id
  )
  insert into delivery (company_id, webhook_id, sequence, due_at, created_at)
  select w.company_id, h.id, w.sequence, w.created_at, w.created_at
  from written as w
  cross join lateral (
    select h.id, h.event_types
    from webhook as h
    where h.company_id = w.company_id and h.state = 'activo'
    offset 0
  ) as h
  where h.id = w.webhook_id
    or (w.webhook_id is null and (h.event_types = '{}' or w.type = any (h.event_types)));
  get diagnostics deliveries_n = row_count;

  if deliveries_n > 0 then
    perform pg_notify('deliveries', '');
  end if;
end;
$$;

-- Counts events in the balances and writes them. Companies with events off are left out. A fact without a type is ignored.
--
-- Also compares the available amounts of `companies` with their alert values. If an amount has crossed its alert value
-- since the last event about it, the function adds balance.low or balance.recovered.
create function record_events(facts event_fact[], companies bigint[], at timestamptz) returns void
language plpgsql
set search_path from current
-- reserve.sql explains these planner settings.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
-- If a name is both a column and a variable, it means the column.
#variable_conflict use_column
begin
  if cardinality(companies) > 0 then
    facts := facts || array(
      select
        event_fact(
          company_id => b.company_id,
          type => case when b.available < b.low_balance_alert then 'balance.low' else 'balance.recovered' end,
          at => at,
          available => b.available,
          held => b.held,
          low_balance_alert => b.low_balance_alert
        )
      from (select distinct c from unnest(companies) as c) as c(company_id)
      cross join lateral (
        select b.company_id, b.available, b.held, b.low_balance_alert
        from balance as b
        where b.company_id = c.company_id
          and b.events_on
          and (b.available < b.low_balance_alert) <> b.reported_low
        offset 0
      ) as b
    );
  end if;

  with fact as materialized (
    select f.*, row_number() over (partition by f.company_id order by f.place) as number
    from unnest(facts) with ordinality as f (
      company_id, sequence, type, at, transaction_id, reversal_id, insurance_id, entry_id, webhook_id, available, held,
      low_balance_alert, place
    )
    where f.type is not null
  ),
  counted as (
    update balance as b
    set last_event = b.last_event + f.events,
      reported_low = b.reported_low <> f.crossed
    from (
      select
        f.company_id,
        count(*) as events,
        bool_or(f.type in ('balance.low', 'balance.recovered')) as crossed
      from fact as f
      group by f.company_id
    ) as f
    where b.company_id = f.company_id
      and b.events_on
    returning b.company_id, old.last_event
  )
  select
    array_agg(
      event_fact(
        company_id => f.company_id,
        sequence => c.last_event + f.number,
        type => f.type,
        at => f.at,
        transaction_id => f.transaction_id,
        reversal_id => f.reversal_id,
        insurance_id => f.insurance_id,
        entry_id => f.entry_id,
        webhook_id => f.webhook_id,
        available => f.available,
        held => f.held,
        low_balance_alert => f.low_balance_alert
      )
    )
  into facts
  from fact as f
  join counted as c on c.company_id = f.company_id;

  if facts is not null then
    perform write_events(facts);
  end if;
end;
$$;

-- Turns the events of a company on or off. A balance that is already low when events are turned on counts as reported.
create function turn_events(company bigint, is_on boolean, at timestamptz) returns void
language plpgsql
-- Runs as its owner, because the logins may not write this column.
security definer
set search_path from current
as $$
begin
  insert into balance as b (company_id, events_on, updated_at)
  values (company, is_on, at)
  on conflict (company_id) do update
  set events_on = is_on,
    reported_low = b.available < b.low_balance_alert
  where b.events_on <> is_on;
end;
$$;

-- Adds a webhook and turns the events of its company on. Returns false, and adds nothing, if the company already has
-- `webhooks_max` webhooks.
create function add_webhook(
  company bigint,
  webhook_ bigint,
  url_ text,
  event_types_ text[],
  description_ text,
  secret_ bytea,
  at timestamptz,
  webhooks_max int
) returns boolean
language plpgsql
-- Runs as its owner, because it locks and writes the balance.
security definer
set search_path from current
as $$
#variable_conflict use_column
begin
  insert into balance (company_id, updated_at) values (company, at) on conflict (company_id) do nothing;

  -- Locks the balance, so two calls cannot both add the last webhook that is allowed.
  perform 1 from balance as b where b.company_id = company for update;

  if (select count(*) from webhook as h where h.company_id = company) >= webhooks_max then
    return false;
  end if;
  perform turn_events(company, true, at);
  insert into webhook (company_id, id, url, event_types, description, state, secret, created_at)
  values (company, webhook_, url_, event_types_, description_, 'activo', secret_, at);
  return true;
end;
$$;

-- Deletes a webhook with its deliveries. Returns whether the company had it.
create function remove_webhook(company bigint, webhook_ bigint) returns boolean
language plpgsql
-- Runs as its owner, because it locks the balance.
security definer
set search_path from current
as $$
begin
  -- Locks the balance, as every writer of events does. A delivery of an event that is being written is visible then.
  perform 1 from balance as b where b.company_id = company for update;
  perform refuse_if_closed(company);

  delete from webhook as h where h.company_id = company and h.id = webhook_;
  if not found then
    return false;
  end if;
  delete from delivery as d where d.company_id = company and d.webhook_id = webhook_;
  return true;
end;
$$;

-- Writes a test event for one webhook. Returns the sequence number of the event, or null if the webhook is not active
-- or events are off.
create function test_webhook(company bigint, webhook_ bigint, at timestamptz) returns bigint
language plpgsql
-- Runs as its owner, because it writes the balance.
security definer
set search_path from current
as $$
#variable_conflict use_column
declare
  reached bigint;
begin
  -- Locks the balance, as every writer of events does.
  perform 1 from balance as b where b.company_id = company for update;
  perform refuse_if_closed(company);
  if not exists (select from balance as b where b.company_id = company and b.events_on)
    or not exists (
      select from webhook as h where h.company_id = company and h.id = webhook_ and h.state = 'activo'
    )
  then
    return null;
  end if;

  perform record_events(
    array[event_fact(company_id => company, type => 'webhook.test', at => at, webhook_id => webhook_)],
    '{}',
    at
  );
  select b.last_event into reached from balance as b where b.company_id = company;
  return reached;
end;
$$;

-- These functions run as their owner or are called by functions that do. roles.sql grants what a login may call.
revoke all on function record_events, write_events, event_fact, turn_events, add_webhook, remove_webhook,
test_webhook
from public;
