drop function if exists directory.deposit;
drop function if exists directory.adjust;
drop function if exists directory.allow_funding;

-- Whose balance may change by hand, by whoever is logged in: the operator's logins and the owner may change every one. A
-- server's may change the shared sandbox alone, which it opens and sets back each day: whoever breaks into one must not
-- pay in, or take out, in any other company's name. The cells refer to nothing outside themselves, so this stands here.
create function directory.allow_funding(company bigint) returns void
language plpgsql
set search_path = directory, pg_temp
as $$
begin
  if session_user = current_user
    or to_regrole('saldo_operator') is null
    or pg_has_role(session_user, 'saldo_operator', 'MEMBER')
    or exists (
      select from directory.company as c
      where c.id = company and c.code = 'SANDBOX' and c.environment = 'development'
    )
  then
    return;
  end if;
  raise exception 'only an operator moves money of company % by hand', company using errcode = 'insufficient_privilege';
end;
$$;

-- cell.deposit, for whom it is allowed.
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

-- cell.adjust, for whom it is allowed.
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

-- They run as their owner, so whoever calls them has to be told that he may.
revoke all on function directory.deposit, directory.adjust, directory.allow_funding from public;
