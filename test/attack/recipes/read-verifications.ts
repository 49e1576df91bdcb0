// Attack: clients read the results of a list of 100,000 verified addresses, unfiltered and by a result that no address
// has.

import { fillVerifications, VERIFICATION } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

const results = `/v1/verifications/${VERIFICATION}/results`

export const recipe = readFlood({
  sentence:
    '64 clients read the results of a list of 100,000 addresses, half of them by a result that no address has.',
  fill: fillVerifications,
  key: 'verificationKey',
  paths: [`${results}?limit=200`, `${results}?result=risky`],
})
