// Texts of lists and dialogs: columns, pages, selection, filters, copying.

import { room } from '../texts.ts'

export const tables = room('tables', {
  actions: 'Actions',
  selectRow: 'Select row',
  selectAll: 'Select all rows',
  noneSoFar: 'No matches so far; older entries have not been searched yet.',
  page: 'Page {number}',
  first: 'First page',
  previous: 'Previous page',
  next: 'Next page',
  clear: 'Clear',
  clearFilters: 'Clear filters',
  removeFilter: 'Remove filter {label}',
  live: 'Live',
  reconnecting: 'Reconnecting',
  copy: 'Copy',
  copied: 'Copied',
  time: 'Time',
  download: 'Download',
  copyWhat: 'Copy {what}',
  whatCopied: '{what} copied',
  revokeLinks: 'Revoke all links',
  linksRevoked: 'All links that were made until now are revoked.',
})
