// Tests of the API and the rules of domains on SQLite.

import { together } from '../../support/together.ts'

together(['src/api/**/*.test.ts', 'src/domains/*.test.ts'], 1, 1)
