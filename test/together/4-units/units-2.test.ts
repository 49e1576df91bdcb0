// The tests that stand beside their files: the second of two parts.

import { together, WAITING } from '../../support/together.ts'

together(
  [
    ...['src/!(api|domains|dkim)/**/*.test.ts', 'src/*.test.ts'],
    ...['dashboard', 'bench', 'test/support'].map((folder) => `${folder}/**/*.test.ts`),
  ],
  2,
  2,
  'sqlite',
  WAITING,
)
