import { equipment } from './equipment.ts';
import { printFigures } from './figures.ts';
const c = process.cpuUsage();
console.log(printFigures(await equipment(console.log)));
console.log(process.cpuUsage(c));
