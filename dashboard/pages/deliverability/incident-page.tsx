// The page of an incident: what fails since when, an example, the meaning, and what to do.

import { Anchor, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loading } from '../../parts/loading.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { deliverability as words } from '../../texts/en/deliverability.ts'
import { fill } from '../../texts/texts.ts'
import { type Incident, incidentQuery, mute } from './calls.ts'
import { causeInWords, factInWords, incidentTitle } from './incident-words.ts'

export function Component() {
  const { incidentId = '' } = useParams()
  const { data: incident, error, refetch } = useQuery(incidentQuery(incidentId))
  return (
    <Page
      title={incident === undefined ? words.incident : incidentTitle(incident)}
      above={<BackLink to="/deliverability">{words.title}</BackLink>}
      actions={incident?.state === 'open' && <Mute incident={incident} />}
    >
      {incident !== undefined ? (
        <Stack gap="lg">
          <Advice incident={incident} />
          <Figures incident={incident} />
          <Example incident={incident} />
        </Stack>
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Advice({ incident }: { readonly incident: Incident }) {
  const { meaning, advice } = causeInWords(incident)
  return (
    <Card title={words.meaning}>
      <Text>{meaning}</Text>
      <Text fw={600} mt="md">
        {words.whatToDo}
      </Text>
      <Text>{advice}</Text>
      {incident.evidence.length > 0 && (
        <>
          <Text fw={600} mt="md">
            {words.evidence}
          </Text>
          <ul>
            {incident.evidence.map(factInWords).map(({ text, link }) => (
              <li key={text}>
                {/* The text links only to pages of the dashboard. */}
                {link?.startsWith('/') ? (
                  <Anchor component={Link} to={link} inherit underline="always">
                    {text}
                  </Anchor>
                ) : (
                  text
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

function Figures({ incident: one }: { readonly incident: Incident }) {
  const { scope } = one
  const failed = {
    failed: whole(one.failed),
    attempts: whole(one.attempts),
    share: share(one.failed, one.attempts),
  }
  return (
    <Card title={words.whatFails}>
      <Facts
        facts={[
          [
            words.state,
            <StatusBadge
              key="state"
              status={one.state}
              label={words.openOrClosed[one.state]}
              tone={one.state === 'open' ? 'bad' : 'good'}
            />,
          ],
          [words.domain, one.domain],
          [words.provider, one.provider],
          [words.address, scope.source_address],
          [words.stream, scope.stream],
          [words.tag, scope.tag],
          [words.key, scope.key_id],
          [words.code, one.code],
          [words.began, <Time key="began" at={one.began_at} exact />],
          [words.noticed, <Time key="noticed" at={one.noticed_at} exact />],
          [words.ended, one.ended_at === null ? null : <Time key="ended" at={one.ended_at} exact />],
          [words.failed, one.attempts === 0 ? null : fill(words.failedOf, failed)],
          [words.usual, one.usual_share === null ? null : share(one.usual_share, 1)],
          [words.recipients, one.recipients === 0 ? null : whole(one.recipients)],
          [
            words.mutedUntil,
            one.muted_until === null ? null : <Time key="muted" at={one.muted_until} exact />,
          ],
        ]}
      />
    </Card>
  )
}

function Example({ incident: { example, domain_id } }: { readonly incident: Incident }) {
  if (example === null) return null
  const { message_id, email, smtp_code, smtp_response, mx } = example
  return (
    <Card title={words.example}>
      <Facts
        facts={[
          [words.recipient, email],
          [words.host, mx],
        ]}
      />
      {smtp_response !== null && (
        <div className="code-line answer" style={{ marginTop: '0.5rem' }}>
          {[smtp_code, smtp_response].filter((part) => part !== null).join(' ')}
        </div>
      )}
      <Anchor
        component={Link}
        to={`/domains/${domain_id}/messages/${message_id}`}
        mt="sm"
        display="inline-block"
      >
        {words.dialog}
      </Anchor>
    </Card>
  )
}

const DAY_MS = 86_400_000

function Mute({ incident: { incident_id: id, muted_until } }: { readonly incident: Incident }) {
  const queries = useQueryClient()
  const may = useMay('developer')
  const isMuted = muted_until !== null && Date.parse(muted_until) > Date.now()
  const change = useMutation({
    mutationFn: () => mute(id, isMuted ? null : new Date(Date.now() + DAY_MS).toISOString()),
    onSuccess: () => {
      tell.done(isMuted ? words.unmutedNow : words.mutedNow)
      return Promise.all([
        queries.invalidateQueries({ queryKey: ['incidents'] }),
        queries.invalidateQueries({ queryKey: ['problems'] }),
      ])
    },
    onError: tell.problem,
  })
  return (
    may && (
      <ActionButton variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {isMuted ? words.unmute : words.mute}
      </ActionButton>
    )
  )
}
