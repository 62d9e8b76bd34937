/*
 * calibration_state.h
 *		The aggregate state of calibration(), which others finish too.
 */
#ifndef CALIBRATION_STATE_H
#define CALIBRATION_STATE_H

#include "pg/sql/glue.h"

#include "utils/array.h"

#include "core/evaluate/calibration.h"

/* A state's numbers, or NULL before the first row; anybody may have made it. */
extern float8 *calibration_state(ArrayType *array);

#endif							/* CALIBRATION_STATE_H */
