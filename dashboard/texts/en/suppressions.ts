// Texts of the pages about suppression lists.

import type { Texts } from '../texts.ts'

export const suppressions = {
  title: 'Suppressions',
  intro:
    'Addresses to which no messages are sent. Hard bounces, complaints and unsubscribes are added automatically.',
  export: 'Export',
  import: 'Import',
  add: 'Add',
  noMatching: 'No matching addresses',
  noMatchingHint: 'Search by an address or its first letters.',
  none: 'No suppressed addresses',
  noneHint: 'Messages are sent to every address.',
  addressOrBeginning: 'Address or its first letters',
  address: 'Address',
  addresses: 'Addresses',
  onePerLine: 'One per line',
  stream: 'Stream',
  allStreams: 'All streams',
  all: 'All',
  reason: 'Reason',
  added: 'Added',
  removeFromList: 'Remove from list',
  removeAddress: 'Remove {email}',
  remove: 'Remove',
  removed: '{email} removed from the suppression list.',
  sendAgain: 'Send to {email} again?',
  complaintHint:
    'This recipient reported a message as spam. Remove the address only if the recipient asked for it: further complaints harm the delivery of all your messages.',
  removeHint: 'Messages are sent to this address again. If it hard-bounces again, it is suppressed again.',
  selection: 'Selected addresses',
  selected: { one: '{count} address selected', other: '{count} addresses selected' },
  clearSelection: 'Clear selection',
  sendAgainToMany: 'Send to {count} addresses again?',
  removeManyHint:
    'Messages are sent to these addresses again. Those that reported a message as spam stay on the list; remove them one by one.',
  manyRemoved: { one: '{count} address removed.', other: '{count} addresses removed.' },
  complaintsKept: {
    one: '{count} reported spam and stays on the list.',
    other: '{count} reported spam and stay on the list.',
  },
  suppressAddresses: 'Suppress addresses',
  suppress: 'Suppress',
  importTitle: 'Import suppressions',
  importHint:
    'A CSV or XLSX file with a column of addresses, up to 100,000 lines. The columns {stream} and {reason} are optional; without them the stream is transactional and the reason manual.',
  file: 'File',
  chooseFile: 'Choose a file',
  importColumn: 'Import this column',
  countAdded: { one: '{count} address added.', other: '{count} addresses added.' },
  countExisting: { one: '{count} was suppressed already.', other: '{count} were suppressed already.' },
  countInvalid: { one: '{count} entry invalid:', other: '{count} entries invalid:' },
  atLine: 'Line {line}:',
  done: 'Done',
} as const satisfies Texts
