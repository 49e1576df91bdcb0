// What the whole service does with hosts of all kinds: the fourth of six parts.

import { together } from '../../support/together.ts'

together(['test/flow/hosts/*.test.ts'], 4, 6)
