-- Closes and opens companies.

drop function if exists close_companies;
drop function if exists refuse_if_closed;

-- Fails with SQLSTATE SC001 if the company is closed, or has moved to another cell (core/domain/ErrorCatalogue.ts). A caller
-- that has locked the balance knows that the company stays open until its transaction ends.
create function refuse_if_closed(company bigint) returns void
language plpgsql
set search_path from current
as $$
begin
  if exists (select from balance as b where b.company_id = company and b.closed) or has_departed(company) then
    raise exception 'company % is closed', company using errcode = 'SC001';
  end if;
end;
$$;

-- Closes or opens companies of this cell. The lock of each balance waits for the money functions that are writing it.
-- Each later one reads the new value. A company without a balance gets one, so that its first deposit is refused too.
create function close_companies(companies bigint[], is_closed boolean, at timestamptz) returns void
language plpgsql
-- Runs as its owner, because the logins may not write this column.
security definer
set search_path from current
as $$
begin
  insert into balance as b (company_id, closed, updated_at)
  select c, is_closed, at
  from unnest(companies) as c
  -- A company that is closed already may be moving. Then nothing may write its balance.
  where not exists (select from balance as o where o.company_id = c and o.closed = is_closed)
  -- In the order in which groups of sales lock balances.
  order by c
  on conflict (company_id) do update set closed = is_closed where b.closed <> is_closed;
end;
$$;

revoke all on function close_companies, refuse_if_closed from public;
