-- Finds audit events newest first: all of them, or those of one actor, action, company, place or address.
create index audit_event_newest on directory.audit_event (at, id);

-- Two names that differ only in case are the same name, as in directory.operator.
create index audit_event_of_actor on directory.audit_event ((upper(lower(actor collate "pg_unicode_fast"))), at, id);

create index audit_event_of_action on directory.audit_event (action, at, id);
create index audit_event_of_company on directory.audit_event (company_id, at, id) where company_id is not null;
create index audit_event_via on directory.audit_event (via, at, id) where via is not null;
create index audit_event_from on directory.audit_event (address, at, id) where address is not null;
