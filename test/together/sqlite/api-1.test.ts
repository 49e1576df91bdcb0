// Tests of the API and the rules of domains on SQLite: the first of two parts.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 1, 2)
