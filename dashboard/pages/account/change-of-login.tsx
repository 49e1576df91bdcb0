// Dialog that asks for confirmation before a change that weakens or renews the login.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { sessionQuery } from '../../session.ts'
import { common } from '../../texts/en/common.ts'

interface ChangeOfLoginProps<Answer> {
  readonly text: string
  /** Label of the button. */
  readonly action: string
  readonly change: () => Promise<Answer>
  readonly onDone: (answer: Answer) => void
  readonly onClose: () => void
}

export function ChangeOfLogin<Answer>(props: ChangeOfLoginProps<Answer>) {
  const { text, action, change, onDone, onClose } = props
  const queries = useQueryClient()
  const act = useMutation({
    mutationFn: change,
    onSuccess: async (answer) => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onDone(answer)
    },
  })
  return (
    <Stack>
      <Text fz="sm">{text}</Text>
      <ErrorNotice error={act.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {common.cancel}
        </Button>
        <ActionButton loading={act.isPending} onClick={() => act.mutate()}>
          {action}
        </ActionButton>
      </Group>
    </Stack>
  )
}
