// Dialogs that rotate the secret of a webhook, replay events, or delete the webhook.

import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { deleteWebhook, type Place, replayEvents, rotateSecret, type Webhook, webhooksKey } from './calls.ts'
import { ShownSecret } from './webhook-form.tsx'

interface DialogProps {
  readonly place: Place
  readonly webhook: Webhook
  readonly opened: boolean
  readonly onClose: () => void
}

export function RotateSecret({ place, webhook, opened, onClose }: DialogProps) {
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string>()
  const rotating = useMutation({
    mutationFn: () => rotateSecret(place, webhook.webhook_id),
    onSuccess: async (made) => {
      setSecret(made.secret)
      await queries.invalidateQueries({ queryKey: webhooksKey(place) })
    },
  })
  const close = () => {
    rotating.reset()
    setSecret(undefined)
    onClose()
  }
  if (secret !== undefined) {
    return (
      <Modal
        opened={opened}
        onClose={close}
        title={words.newSecret}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <ShownSecret secret={secret} onClose={close} />
      </Modal>
    )
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={words.rotateQuestion}
      action={words.rotate}
      busy={rotating.isPending}
      error={rotating.error}
      onConfirm={() => rotating.mutate()}
    >
      {words.rotateHint}
    </Confirm>
  )
}

const HOUR_MS = 3_600_000
const RANGES = ['1', '24', '72', '168'] as const

export function Replay({ place, webhook, opened, onClose }: DialogProps) {
  const queries = useQueryClient()
  const [hours, setHours] = useState('24')
  const replaying = useMutation({
    mutationFn: () =>
      replayEvents(place, webhook.webhook_id, new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: webhooksKey(place) })
      tell.done(words.replayStarted)
      onClose()
    },
  })
  const close = () => {
    replaying.reset()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={words.replayEvents}>
      <Stack>
        <Text fz="sm">{words.replayHint}</Text>
        <Select
          label={words.eventsOf}
          data={RANGES.map((value) => ({ value, label: words.ranges[value] }))}
          value={hours}
          onChange={(chosen) => setHours(chosen ?? '24')}
          allowDeselect={false}
        />
        <ErrorNotice error={replaying.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <ActionButton loading={replaying.isPending} onClick={() => replaying.mutate()}>
            {words.replay}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  )
}

interface DeleteProps extends DialogProps {
  readonly onDeleted: () => void
}

export function DeleteWebhook({ place, webhook, opened, onClose, onDeleted }: DeleteProps) {
  const queries = useQueryClient()
  const deleting = useMutation({
    mutationFn: () => deleteWebhook(place, webhook.webhook_id),
    onSuccess: async () => {
      onDeleted()
      tell.done(words.deleted)
      await queries.invalidateQueries({ queryKey: webhooksKey(place) })
    },
  })
  return (
    <Confirm
      opened={opened}
      onClose={() => {
        deleting.reset()
        onClose()
      }}
      title={words.deleteQuestion}
      action={words.delete}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
    >
      {words.deleteHint}
    </Confirm>
  )
}
