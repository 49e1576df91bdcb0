// What the whole service does with hosts of all kinds: the fifth of six parts.

import { together } from '../../support/together.ts'

together(['test/flow/hosts/*.test.ts'], 5, 6)
