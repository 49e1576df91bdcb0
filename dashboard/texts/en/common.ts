// Texts that all pages share: problems, connection notices, and labels of common buttons.

import type { Texts } from '../texts.ts'

export const common = {
  cancel: 'Cancel',
  close: 'Close',
  justNow: 'just now',
  loading: 'Loading',
  tryAgain: 'Try again',
  reload: 'Reload',
  problem: {
    other: 'Something went wrong',
    connectionLost: 'Connection lost',
    loginRequired: 'Login required',
    notPermitted: 'Not permitted',
    notFound: 'Not found',
    invalid: 'Check your entries',
    loginFailed: 'Login failed',
    conflict: 'Not possible at the moment',
    tooLarge: 'Too large',
    tooMany: 'Too many requests',
    request: 'Request {id}',
    unreachable: 'The service could not be reached. Your input is kept; try again in a moment.',
    unexpected: 'The service answered with status {status}. Try again in a moment.',
  },
  connection: {
    lost: 'Connection to Postrider lost',
    kept: 'Your input is kept. The page reconnects automatically.',
  },
} as const satisfies Texts
