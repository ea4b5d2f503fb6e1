/**
 * HTTP itself has statuses that the catalogue does not need: of a request that comes too slowly, or whose head is too
 * large.
 */
export const unreadStatuses = [408, 431] as const
