-- directory.deposit and directory.adjust: change a balance by hand, if the login has permission.
--
-- These functions belong to the directory, because the permission depends on the company, and a cell refers to no table
-- outside itself.

drop function if exists directory.deposit;
drop function if exists directory.adjust;
drop function if exists directory.allow_funding;

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

-- Calls cell.deposit if the login has permission. The previous version of Saldo calls this function without `is_new`,
-- so the reference may then occur in deposits of other companies.
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
begin
  perform allow_funding(company, by_operator => true);
  return query select * from cell.deposit(company, centavos, owned_max, reference_, at, is_new);
end;
$$;

-- Calls cell.adjust if the login has permission. Operators correct the balance of a company with cell.confirm_funding,
-- which needs two of them.
create function directory.adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
begin
  perform allow_funding(company, by_operator => false);
  return cell.adjust(company, goal, reference_, since, at);
end;
$$;

-- These functions run as their owner, so no other role may call them until roles.sql grants it.
revoke all on function directory.deposit, directory.adjust, directory.allow_funding from public;
