// The health of the installation in one line, for the operator.

import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { guide } from '../../texts/en/guide.ts'
import { counted, fill } from '../../texts/texts.ts'
import { summaryQuery } from '../operator/calls.ts'

export function ServerHealth() {
  const { data } = useQuery(summaryQuery)
  if (data === undefined) return null
  const count = (status: string) => data.checks.filter((check) => check.status === status).length
  const [failed, warned] = [count('fail'), count('warn')]
  return (
    <Alert color={failed > 0 ? 'red' : warned > 0 ? 'yellow' : 'green'} title={guide.health}>
      {failed + warned === 0
        ? guide.healthGood
        : fill(guide.healthFaults, {
            failed: counted(guide.failedChecks, failed),
            warnings: counted(guide.warnings, warned),
          })}{' '}
      <Anchor component={Link} to="/operator" inherit underline="always">
        {guide.viewHealth}
      </Anchor>
    </Alert>
  )
}
