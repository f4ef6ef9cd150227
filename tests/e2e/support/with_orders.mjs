// Starts the orders sample and runs a program of Node with its URL behind:
//   node with_orders.mjs ORDERS_PROGRAM SAMPLE_DIR SCRIPT
import { spawnSync } from 'node:child_process';

import { startOrders } from './orders_sample.mjs';

const [program, sampleDir, script] = process.argv.slice(2);
const sample = await startOrders(program, sampleDir);
const { status } = spawnSync(process.execPath, [script, sample.url], { stdio: 'inherit' });
await sample.stop();
process.exitCode = status ?? 1;
