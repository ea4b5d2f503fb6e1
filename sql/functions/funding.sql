-- directory.deposit and directory.adjust: balances that change by hand, for the logins that may change them.
--
-- They stand in the directory because a cell refers to nothing outside itself, and the rule needs the company.

drop function if exists directory.deposit;
drop function if exists directory.adjust;
drop function if exists directory.allow_funding;

-- Fails unless the session's login may change the balance of this company by hand. Operators and the owner may change
-- every balance. A server may change only that of the shared sandbox, which it opens and sets back every day: an
-- intruder in a server can then not move money of any other company by hand.
create function directory.allow_funding(company bigint) returns void
language plpgsql
set search_path = directory, pg_temp
as $$
begin
  if session_user = current_user
    or to_regrole('saldo_operator') is null
    or pg_has_role(session_user, 'saldo_operator', 'MEMBER')
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

-- cell.deposit, for the logins that may.
create function directory.deposit(company bigint, centavos bigint, owned_max bigint, reference_ text, at timestamptz)
returns table (entry_id bigint, amount bigint, recorded boolean)
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
begin
  perform allow_funding(company);
  return query select * from cell.deposit(company, centavos, owned_max, reference_, at);
end;
$$;

-- cell.adjust, for the logins that may.
create function directory.adjust(company bigint, goal bigint, reference_ text, since timestamptz, at timestamptz)
returns bigint
language plpgsql
security definer
set search_path = directory, pg_temp
as $$
begin
  perform allow_funding(company);
  return cell.adjust(company, goal, reference_, since, at);
end;
$$;

-- They run as their owner, so they belong to nobody until roles.sql grants them.
revoke all on function directory.deposit, directory.adjust, directory.allow_funding from public;
