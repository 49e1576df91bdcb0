// A code editor with a frame and error messages, and a placeholder that is shown while the editor is loading.

import { Box, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { FieldProblem } from '../../client.ts'
import { fetched } from '../../fetched.ts'
import type { CodeEditorProps } from './code-editor.tsx'

const CodeEditor = lazy(() => fetched(() => import('./code-editor.tsx')))

interface CodeFieldProps extends CodeEditorProps {
  readonly problems?: readonly FieldProblem[]
}

export function CodeField(props: CodeFieldProps) {
  const { problems = [], height } = props
  return (
    <Box>
      <div className="code-frame" data-wrong={problems.length > 0}>
        <Suspense fallback={<Skeleton h={height} radius={0} />}>
          <CodeEditor {...props} />
        </Suspense>
      </div>
      <div role="status">
        {problems.map(({ path, message }) => (
          <Text key={`${path} ${message}`} c="var(--mantine-color-error)" fz="sm" mt={4}>
            {message}
          </Text>
        ))}
      </div>
    </Box>
  )
}
