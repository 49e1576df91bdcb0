// Tests of the whole service with hosts of all kinds: the first of two parts.

import { together } from '../../support/together.ts'

together(['test/flow/hosts/*.test.ts'], 1, 2)
