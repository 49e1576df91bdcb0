// The page of a webhook: state, actions and deliveries.

import { Alert, Button, Menu, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRepeat,
  IconSend,
  IconTrash,
} from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { account } from '../../texts/en/account.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import {
  changeWebhook,
  FORMATS,
  isOfDomain,
  type Place,
  pageOf,
  roleOf,
  stateOf,
  testWebhook,
  type Webhook,
  webhookQuery,
  webhooksKey,
} from './calls.ts'
import { Deliveries } from './deliveries.tsx'
import { eventName } from './event-name.ts'
import { DeleteWebhook, Replay, RotateSecret } from './webhook-actions.tsx'
import { WebhookForm } from './webhook-form.tsx'

type Dialog = 'edit' | 'rotate' | 'replay' | 'delete'

/** The page of a webhook of a domain. */
export function Component() {
  return <WebhookPage place={useDomainId()} />
}

export function WebhookPage({ place }: { readonly place: Place }) {
  const { webhookId = '' } = useParams()
  const navigate = useNavigate()
  const webhook = useQuery(webhookQuery(place, webhookId))
  const may = useMay(roleOf(place))
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const { data } = webhook
  const title = data === undefined ? words.webhook : data.name || new URL(data.url).host
  const list = pageOf(place)
  return (
    <Page
      title={title}
      above={<BackLink to={list}>{place === null ? account.events : words.title}</BackLink>}
      actions={data !== undefined && may && <Actions place={place} webhook={data} open={setDialog} />}
    >
      <Stack gap="lg">
        {data === undefined ? (
          <ErrorNotice error={webhook.error} again={webhook.refetch} />
        ) : (
          <Summary webhook={data} />
        )}
        <Deliveries place={place} webhookId={webhookId} isEnabled={data?.enabled !== false} />
      </Stack>
      {data !== undefined && (
        <>
          <WebhookForm place={place} edited={dialog === 'edit' ? data : undefined} onClose={close} />
          <RotateSecret place={place} webhook={data} opened={dialog === 'rotate'} onClose={close} />
          <Replay place={place} webhook={data} opened={dialog === 'replay'} onClose={close} />
          <DeleteWebhook
            place={place}
            webhook={data}
            opened={dialog === 'delete'}
            onClose={close}
            onDeleted={() => navigate(list)}
          />
        </>
      )}
    </Page>
  )
}

interface ActionsProps {
  readonly place: Place
  readonly webhook: Webhook
  readonly open: (dialog: Dialog) => void
}

function Actions({ place, webhook, open }: ActionsProps) {
  const queries = useQueryClient()
  const { webhook_id: id, enabled } = webhook
  const refresh = () => queries.invalidateQueries({ queryKey: webhooksKey(place) })
  const testing = useMutation({
    mutationFn: () => testWebhook(place, id),
    onSuccess: async ({ status, attempts }) => {
      await refresh()
      const [attempt] = attempts
      const answered = { status: String(attempt?.status) }
      if (status === 'delivered') tell.done(fill(words.testAccepted, answered))
      else tell.failed(words.testFailed, attempt?.problem ?? fill(words.testAnswered, answered))
    },
    onError: tell.problem,
  })
  const switching = useMutation({
    mutationFn: () => changeWebhook(place, id, { enabled: !enabled }),
    onSuccess: async () => {
      await refresh()
      tell.done(enabled ? words.disabled : words.enabled)
    },
    onError: tell.problem,
  })
  return (
    <>
      <ActionButton
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={testing.isPending}
        onClick={() => testing.mutate()}
      >
        {words.sendTest}
      </ActionButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={16} />}>
            {words.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => open('edit')}>
            {words.edit}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => open('rotate')}>
            {words.rotateSecret}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRepeat size={16} />}
            disabled={!enabled || webhook.replaying}
            onClick={() => open('replay')}
          >
            {words.replayEvents}
          </Menu.Item>
          <Menu.Item
            leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            onClick={() => switching.mutate()}
          >
            {enabled ? words.disable : words.enable}
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => open('delete')}>
            {words.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

function Summary({ webhook }: { readonly webhook: Webhook }) {
  const { disabled_reason: reason, failing_since: failing, secrets } = webhook
  const until = secrets[1]?.expires_at
  return (
    <Card>
      {reason !== null && reason !== 'manual' && (
        <Alert color="red" mb="md">
          {reason === 'gone' ? words.goneHint : words.failedHint} {words.enableHint}
        </Alert>
      )}
      <Facts
        facts={[
          [words.status, <StatusBadge key="status" status="webhook" {...stateOf(webhook)} />],
          [
            'URL',
            <span key="url" className="code-line">
              {webhook.url}
            </span>,
          ],
          [words.failingSince, failing !== null && <Time key="failing" at={failing} />],
          [words.replay, webhook.replaying && words.underWay],
          [words.events, webhook.event_types.map(eventName).join(', ') || words.all],
          ...(isOfDomain(webhook)
            ? ([
                [words.streams, webhook.streams.join(', ') || words.all],
                [words.tags, webhook.tags.join(', ') || words.all],
                [words.format, FORMATS[webhook.format]],
              ] as const)
            : ([[words.allAccounts, webhook.all_accounts && words.yes]] as const)),
          [words.batchSize, webhook.batch_size > 1 && String(webhook.batch_size)],
          [words.basicAuth, webhook.basic_auth_username],
          [
            words.publicKey,
            <span key="key" className="code-line">
              {webhook.public_key}
            </span>,
          ],
          [words.secretCreated, secrets[0] && <Time key="secret" at={secrets[0].created_at} />],
          [words.previousValid, until && <Time key="previous" at={until} />],
        ]}
      />
      {isOfDomain(webhook) && webhook.format !== 'standard' && (
        <Text c="dimmed" fz="sm" mt="md">
          {words.signatureHint}
        </Text>
      )}
    </Card>
  )
}
