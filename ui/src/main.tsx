import './theme/tokens.css'
import './theme/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { whenSessionLost } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { applyTheme } from './app/preferences.ts'
import { router } from './app/routes.tsx'
import { listenForShortcuts } from './app/shortcuts.ts'

applyTheme()
listenForShortcuts()
whenSessionLost(() => location.replace('/login'))

const place = document.getElementById('root')
if (place === null) throw new Error('There is no #root')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
