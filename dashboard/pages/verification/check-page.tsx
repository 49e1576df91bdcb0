// Form that verifies one address and explains all findings.

import { Anchor, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useMay, useSession } from '../../session.ts'
import { verification as words } from '../../texts/en/verification.ts'
import { counted, parts } from '../../texts/texts.ts'
import { checkAddress, creditsQuery, type Detailed } from './calls.ts'
import { EarlierChecks } from './earlier-checks.tsx'
import { VerificationTabs } from './verification-tabs.tsx'
import { detailsOf, meaningOf, reasonOf, TONES } from './words.ts'

const texts = words.check

export function Component() {
  const [email, setEmail] = useState('')
  const may = useMay('developer')
  const { operator } = useSession().user
  const credits = useQuery(creditsQuery)
  const queries = useQueryClient()
  const check = useMutation({
    mutationFn: (address: string) => checkAddress(address.trim()),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: creditsQuery.queryKey }),
        queries.invalidateQueries({ queryKey: ['verification', 'checks'] }),
      ]),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.mutate(email)
  }
  const checkInstead = (address: string) => {
    setEmail(address)
    check.mutate(address)
  }
  return (
    <Page title={words.title} intro={words.intro}>
      <VerificationTabs />
      <Stack gap="lg" maw={720} mb="lg">
        <Card>
          <form onSubmit={submit}>
            <Group align="flex-end">
              <TextInput
                label={texts.email}
                placeholder="ann@example.net"
                flex={1}
                miw={200}
                required
                disabled={!may}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={email}
                error={check.error instanceof ProblemError ? check.error.field('email') : undefined}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              <ActionButton
                type="submit"
                loading={check.isPending}
                disabled={!may || credits.data?.balance === 0}
              >
                {texts.action}
              </ActionButton>
            </Group>
          </form>
          <Text fz="sm" c="dimmed" mt="sm">
            {may ? texts.costs : texts.needsRole}
            {credits.data !== undefined && (
              <>
                {' '}
                <Anchor component={Link} to="/verification/credits" inherit>
                  {counted(texts.left, credits.data.balance)}
                </Anchor>
                {credits.data.balance === 0 && operator && (
                  <>
                    {' · '}
                    <Anchor component={Link} to="/operator/accounts" inherit>
                      {texts.grant}
                    </Anchor>
                  </>
                )}
              </>
            )}
          </Text>
        </Card>
        <ErrorNotice error={check.error} except={['email']} again={() => check.mutate(email)} />
        <div role="status">
          {check.data !== undefined && <Answer answer={check.data} checkInstead={checkInstead} />}
        </div>
      </Stack>
      <EarlierChecks />
    </Page>
  )
}

interface AnswerProps {
  readonly answer: Detailed
  readonly checkInstead: (address: string) => void
}

function Answer({ answer, checkInstead }: AnswerProps) {
  const { didYouMean } = answer
  const tone = TONES[answer.result] ?? 'quiet'
  const title = meaningOf(answer.result)
  return (
    <Card
      title={answer.email}
      actions={<StatusBadge status={answer.result} label={inWords(answer.result)} tone={tone} />}
    >
      <Text fw={500}>{title}</Text>
      <Text c="dimmed" mb="lg">
        {reasonOf(answer)}
      </Text>
      {didYouMean !== undefined && (
        <Text mb="lg">
          {parts(texts.didYouMeanCosts, {
            address: (
              <Anchor
                key="address"
                component="button"
                type="button"
                inherit
                onClick={() => checkInstead(didYouMean)}
              >
                {didYouMean}
              </Anchor>
            ),
          })}
        </Text>
      )}
      <Facts facts={detailsOf(answer)} />
    </Card>
  )
}
