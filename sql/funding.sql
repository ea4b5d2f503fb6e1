-- directory.deposit and directory.adjust: change a balance by hand, if the login has permission. They serve the cells of
-- the node main. On other nodes, operators call the functions of the cell.
--
-- These functions belong to the directory, because the permission depends on the company, and a cell refers to no table
-- outside itself.

drop function if exists directory.deposit;
drop function if exists directory.adjust;
drop function if exists directory.propose_funding;
drop function if exists directory.confirm_funding;
drop function if exists directory.allow_funding;
drop function if exists directory.cell_of;
drop function if exists directory.deposit_elsewhere;

-- The cell of a company. A company that does not exist gets the first cell, which refuses it.
create function directory.cell_of(company bigint) returns text
language sql
stable
set search_path = directory, pg_temp
as $$
  select coalesce((select c.cell from company as c where c.id = company), 'cell')
$$;

-- A company in another cell that has a deposit with this reference, however it is typed, or null. Also null if the
-- company itself has such a deposit. Until the transaction ends, a deposit with this reference waits in every cell.
create function directory.deposit_elsewhere(company bigint, reference_ text) returns bigint
language plpgsql
set search_path = directory, pg_temp
as $$
declare
  own text := cell_of(company);
  is_own boolean;
  other text;
  found_ bigint;
begin
  -- The lock that the function deposit of a cell takes.
  execute format('select pg_advisory_xact_lock(7249016, hashtext(%I.folded_text($1)))', own) using reference_;
  execute format('select exists (select from %I.recorded_deposit($1, $2))', own) using company, reference_ into is_own;
  if is_own then
    return null;
  end if;
  -- The caller asks the cells on other nodes.
  for other in select c.name from cell as c where c.name <> own and c.node = 'main' order by c.ordinal loop
    execute format('select %I.deposit_elsewhere($1, $2)', other) using company, reference_ into found_;
    exit when found_ is not null;
  end loop;
  return found_;
end;
$$;

-- Fails unless the session's login may change the balance of this company by hand. The owner may change every balance.
-- Operators may too if `by_operator` is true.
--
-- Everyone else may change only the balance of the shared sandbox, which servers open and reset every day. So an intruder
-- in a server cannot change the balance of any other company by hand.
create function directory.allow_funding(company bigint, by_operator boolean) returns void
language plpgsql
set search_path = directory, pg_temp
as $$
begin
  if session_user = current_user
    or to_regrole('saldo_operator') is null
    or (by_operator and pg_has_role(session_user, 'saldo_operator', 'MEMBER'))
    or exists (
      select
      from directory.company as c
      where c.id = company
        and c.code = 'SANDBOX'
        and c.environment = 'development'
    )
  then
    return;
  end if;
  raise exception 'only an operator moves money of company % by hand', company using errcode = 'insufficient_privilege';
end;
$$;

-- Calls the function deposit of the company's cell if the login has permission. The previous version of Saldo calls this
-- function without `is_new`, so the reference may then occur in deposits of other companies.
create function directory.deposit(
  company bigint,
  centavos bigint,
  owned_max bigint,
  reference_ text,
  at timestamptz,
  is_new boolean default false
)
returns table (entry_id bigint, amount bigint, recorded boolean, other_company bigint)
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
declare
  other bigint;
begin
  perform allow_funding(company, by_operator => true);
  if is_new then
    other := deposit_elsewhere(company, reference_);
    if other is not null then
      return query select null::bigint, null::bigint, false, other;
      return;
    end if;
  end if;
  return query execute format('select * from %I.deposit($1, $2, $3, $4, $5, $6)', cell_of(company))
  using company, centavos, owned_max, reference_, at, is_new;
end;
$$;

-- Calls the function adjust of the company's cell if the login has permission. Operators correct the balance of a company
-- with confirm_funding, which needs two of them.
create function directory.adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
declare
  entry_ bigint;
begin
  perform allow_funding(company, by_operator => false);
  execute format('select %I.adjust($1, $2, $3, $4, $5)', cell_of(company))
  using company, goal, reference_, since, at
  into entry_;
  return entry_;
end;
$$;

-- Calls the function propose_funding of the company's cell. Also returns UsedElsewhere if a deposit in another cell has
-- the reference.
create function directory.propose_funding(
  company bigint,
  kind text,
  centavos bigint,
  reference_ text,
  is_repeated boolean,
  reason text,
  operator text,
  at timestamptz,
  expires_at timestamptz
) returns jsonb
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
declare
  other bigint;
  answer jsonb;
begin
  if kind = 'deposit' and not is_repeated then
    other := deposit_elsewhere(company, reference_);
    if other is not null then
      return jsonb_build_object('tag', 'UsedElsewhere', 'company_id', other);
    end if;
  end if;
  execute format('select %I.propose_funding($1, $2, $3, $4, $5, $6, $7, $8, $9)', cell_of(company))
  using company, kind, centavos, reference_, is_repeated, reason, operator, at, expires_at
  into answer;
  return answer;
end;
$$;

-- Calls the function confirm_funding of the company's cell. Also returns UsedElsewhere if a deposit in another cell has
-- the reference.
create function directory.confirm_funding(
  company bigint,
  number_ bigint,
  operator text,
  owned_max bigint,
  at timestamptz
) returns jsonb
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
declare
  reference_ text;
  other bigint;
  answer jsonb;
begin
  execute format(
    'select p.reference from %I.funding_proposal as p where p.company_id = $1 and p.number = $2 '
      'and p.kind = ''deposit'' and not p.is_repeated and p.state = ''pending'' and p.expires_at > $3',
    cell_of(company)
  )
  using company, number_, at
  into reference_;
  if reference_ is not null then
    other := deposit_elsewhere(company, reference_);
    if other is not null then
      return jsonb_build_object('tag', 'UsedElsewhere', 'company_id', other);
    end if;
  end if;
  execute format('select %I.confirm_funding($1, $2, $3, $4, $5)', cell_of(company))
  using company, number_, operator, owned_max, at
  into answer;
  return answer;
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function
  directory.propose_funding, directory.confirm_funding, directory.deposit, directory.adjust, directory.allow_funding,
  directory.cell_of, directory.deposit_elsewhere
from public;
