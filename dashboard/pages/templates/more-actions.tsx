// Menu of rare actions on a template or layout: duplicate, discard changes, delete.

import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconArrowBackUp, IconCopy, IconDots, IconTrash } from '../../parts/icons.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { templates as words } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'
import { destroy, type Noun, type SaveBody, type Saved } from './calls.ts'
import { CreateForm } from './create-form.tsx'

interface MoreActionsProps {
  readonly noun: Noun
  readonly domainId: string
  readonly saved: Saved
  /** Content of the editor, for a duplicate of the template. */
  readonly body: SaveBody
  /** Discards the unsaved changes; undefined if there are none. */
  readonly discard: (() => void) | undefined
}

export function MoreActions({ noun, domainId, saved, body, discard }: MoreActionsProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure()
  const [duplicating, duplicate] = useDisclosure()
  const deleting = useMutation({
    mutationFn: () => destroy(noun, domainId, saved.id),
    onSuccess: () => {
      discard?.()
      tell.done(fill(words.deleted, { name: saved.name }))
      navigate(`/domains/${domainId}/${noun}s`)
      void queries.invalidateQueries({ queryKey: ['domains', domainId, `${noun}s`] })
    },
  })
  const endQuestion = () => {
    deleting.reset()
    close()
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={words.more}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} />}
            disabled={discard === undefined}
            onClick={discard}
          >
            {words.discard}
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={duplicate.open}>
            {words.duplicate}
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} />} c="var(--mantine-color-error)" onClick={open}>
            {words[noun].delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={duplicating}
        onClose={duplicate.close}
        title={fill(words.duplicateOf, { name: saved.name })}
      >
        <CreateForm
          noun={noun}
          domainId={domainId}
          original={{ ...body, name: fill(words.copyOf, { name: body.name }).slice(0, 200) }}
        />
      </Modal>
      <Modal opened={opened} onClose={endQuestion} title={fill(words.deleteQuestion, { name: saved.name })}>
        <Stack>
          <Text fz="sm">{words[noun].deleteHint}</Text>
          <ErrorNotice error={deleting.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={endQuestion}>
              {common.cancel}
            </Button>
            <ActionButton color="red.9" loading={deleting.isPending} onClick={() => deleting.mutate()}>
              {words.deleteAction}
            </ActionButton>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
