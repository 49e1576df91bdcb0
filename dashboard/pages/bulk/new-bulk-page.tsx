// The page that reads the list of a new bulk.

import { Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { newKey } from '../../client.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Page } from '../../parts/page.tsx'
import { InputError } from '../../parts/problem-words.ts'
import { requireContent, TABLE_TYPES } from '../../parts/table-file.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId } from '../domains/workspace.ts'
import { asCsv } from './calls.ts'
import { guessColumns } from './columns.ts'
import { type List, NewBulk } from './new-bulk.tsx'
import { readTable } from './read-table.ts'

/** Maximum size of a list in bytes that the service accepts by default. */
const MAX_BYTES = 50 * 1024 * 1024

export function Component() {
  const domainId = useDomainId()
  const [list, setList] = useState<List>()
  const reading = useMutation({
    mutationFn: async (file: File | undefined): Promise<List> => {
      if (file === undefined) throw new InputError(words.new.wrongFile)
      await requireContent(file)
      const table = await readTable(await asCsv(file))
      return { table, columns: guessColumns(table.columns, table.rows), key: newKey() }
    },
    onSuccess: setList,
  })
  return (
    <Page
      title={words.upload}
      above={<BackLink to={`/domains/${domainId}/bulk`}>{words.title}</BackLink>}
      intro={words.new.intro}
    >
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <Dropzone
          onDrop={([file]) => reading.mutate(file)}
          onReject={() => reading.mutate(undefined)}
          accept={TABLE_TYPES}
          loading={reading.isPending}
          maxSize={MAX_BYTES}
          maxFiles={1}
          multiple={false}
          p="lg"
          inputProps={{ 'aria-label': words.new.file }}
        >
          <Text ta="center" fw={500} style={{ pointerEvents: 'none' }}>
            {list === undefined ? words.new.drop : list.table.file.name}
          </Text>
        </Dropzone>
        <ErrorNotice error={reading.error} />
        {list !== undefined && (
          <NewBulk
            key={list.key}
            domainId={domainId}
            list={list}
            onColumns={(columns) => setList({ ...list, columns })}
          />
        )}
      </Stack>
    </Page>
  )
}
