// The tests that stand beside their files: the first of two parts.

import { together } from '../../support/together.ts'

together(
  ['src/!(api|domains|dkim)/**/*.test.ts', 'src/*.test.ts', 'dashboard/**/*.test.ts', 'bench/**/*.test.ts'],
  1,
  2,
)
