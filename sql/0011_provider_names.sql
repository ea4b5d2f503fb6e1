-- What providers call things: the service, and the option of it that was bought.
alter table catalogue.service add column product text check (product <> '');

alter table cell.transaction
add column product text,
add column option_reference text;
