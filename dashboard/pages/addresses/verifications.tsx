// The verifications of an address in lists, with a button for a new verification.

import { Anchor, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { addresses as words } from '../../texts/en/addresses.ts'
import type { AddressRecord } from '../search/calls.ts'
import { checkAddress, type Detailed } from '../verification/calls.ts'
import { reasonOf } from '../verification/words.ts'

export function Verifications({ record: { email, verifications } }: { readonly record: AddressRecord }) {
  const may = useMay('developer')
  const check = useMutation({ mutationFn: () => checkAddress(email) })
  return (
    <Card
      title={words.verifications}
      intro={verifications.length === 0 ? words.noVerification : undefined}
      actions={
        may && (
          <ActionButton size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
            {words.verify}
          </ActionButton>
        )
      }
    >
      {check.data !== undefined || check.error !== null || verifications.length > 0 ? (
        <Stack gap="sm">
          <ErrorNotice error={check.error} />
          {check.data !== undefined && (
            <div role="status">
              <Verdict result={check.data.result} reason={check.data.internalResult} />
            </div>
          )}
          {verifications.map(({ verification_id, name, result, reason, created_at }) => (
            <div key={verification_id ?? created_at}>
              {result === null ? (
                <StatusBadge status="pending" />
              ) : (
                <Verdict result={result} reason={reason ?? ''} />
              )}
              <Text fz="sm" c="dimmed" component="div">
                {verification_id === null ? (
                  words.singleAddress
                ) : (
                  <Anchor
                    component={Link}
                    to={`/verification/lists/${verification_id}`}
                    inherit
                    underline="always"
                  >
                    {name ?? words.list}
                  </Anchor>
                )}
                {' · '}
                <Time at={created_at} />
              </Text>
            </div>
          ))}
        </Stack>
      ) : undefined}
    </Card>
  )
}

const Verdict = ({ result, reason }: { readonly result: string; readonly reason: string }) => (
  <>
    <StatusBadge status={result} label={inWords(result)} />
    <Text fz="sm">{reasonOf({ internalResult: reason } as Detailed)}</Text>
  </>
)
