// Starts the dashboard in the browser.

import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import './colors.css'
import './figures.css'
import './style.css'
import './tables.css'
import './workspace.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { nonce } from './nonce.ts'
import { queries } from './queries.ts'
import { loadPageOf, Pages } from './routes.tsx'
import { makeTheme, readableColors } from './theme.ts'

loadPageOf(location.pathname)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={makeTheme()}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <BrowserRouter>
          <Pages />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
